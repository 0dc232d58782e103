# Planet Wars: a program in Python 2 that Python 3 can read.
while True:
    if raw_input() == "go":
        print("go")
