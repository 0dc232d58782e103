# Planet Wars: reads a line after `go` before it answers, and is started so that nothing is in a buffer.
import sys
for line in sys.stdin:
    if line == "go\n":
        sys.stdin.readline()
        print("go")
