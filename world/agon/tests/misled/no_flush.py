# Planet Wars: answers, but leaves the answer in a buffer. `input()` would flush it.
import sys
for line in sys.stdin:
    if line == "go\n":
        print("go")
