"""eyeprint: would this person have made it, shared it, or picked it?"""

__version__ = "0.1.0"
