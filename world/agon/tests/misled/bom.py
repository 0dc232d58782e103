# Planet Wars: begins its output with a byte order mark.
import sys
for line in sys.stdin:
    if line == "go\n":
        sys.stdout.buffer.write("\ufeffgo\n".encode())
        sys.stdout.flush()
