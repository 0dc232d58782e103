# Planet Wars: a program in Python 2.
while True:
    if raw_input() == "go":
        print "go"
