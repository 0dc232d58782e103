# Planet Wars: writes a log beside itself.
import os
log = open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "log.txt"), "w")
