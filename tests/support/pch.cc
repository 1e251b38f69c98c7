// Nothing: this file is there for the precompiled header of the tests.
