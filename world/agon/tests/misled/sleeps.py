import sys
import time

for line in sys.stdin:
    if line == "go\n":
        time.sleep(60)
