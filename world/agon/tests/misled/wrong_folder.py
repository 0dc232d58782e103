# Planet Wars: reads a file of its own folder, but is started from another one.
book = open("openings.txt").read()
