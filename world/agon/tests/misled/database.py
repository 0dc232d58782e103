# Planet Wars: keeps a database beside itself.
import os
import sqlite3
here = os.path.dirname(os.path.abspath(__file__))
database = sqlite3.connect(os.path.join(here, "games.db"))
