# Planet Wars: reads a file that only its owner may read.
import os
key = open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "key.txt")).read()
