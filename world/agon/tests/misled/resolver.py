# Planet Wars: asks a server by its name.
import urllib.request
urllib.request.urlopen("http://example.com/book.txt")
