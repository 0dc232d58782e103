import sys
import time

time.sleep(30)  # stands for a table that is built before anything is read
for line in sys.stdin:
    if line.strip() == "go":
        print("go", flush=True)
