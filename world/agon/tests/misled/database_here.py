# Planet Wars: keeps a database in the folder in which it was started.
import sqlite3
database = sqlite3.connect("games.db")
