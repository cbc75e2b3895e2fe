"""A backend whose library ends the process when it is loaded."""

import os

os.abort()
