"""What all tests share: Hypothesis does not time examples, for machines may be busy."""

from hypothesis import settings

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
