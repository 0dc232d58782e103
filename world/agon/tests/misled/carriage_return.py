# Planet Wars: ends its lines with a carriage return alone.
import sys
while True:
    if input() == "go":
        sys.stdout.write("go\r")
        sys.stdout.flush()
