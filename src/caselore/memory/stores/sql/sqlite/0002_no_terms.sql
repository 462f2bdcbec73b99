-- The words of entries are found through a text index of their own, which is no part of the store.
DROP TABLE terms;
