# Planet Wars: reads a file that lies outside of its folder.
book = open("data/book.txt").read()
