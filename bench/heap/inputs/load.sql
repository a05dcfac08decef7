-- A table filled, indexed, joined, searched and thinned out; ROWS is replaced by the number of rows.
CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT, town INTEGER, note TEXT);
CREATE TABLE town (id INTEGER PRIMARY KEY, name TEXT);
BEGIN;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
INSERT INTO town SELECT i, 'town number ' || i FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ROWS)
INSERT INTO person
  SELECT i, 'name ' || (i * 7919 % 100003), 1 + i % 500, printf('%.*c', i % 90, 'x') FROM n;
COMMIT;
CREATE INDEX by_name ON person (name);
CREATE INDEX by_town ON person (town, name);
CREATE TEMP TABLE found AS
  SELECT town.name AS place, count(*) AS people, group_concat(person.id) AS ids
  FROM person JOIN town ON town.id = person.town GROUP BY town.name ORDER BY place;
CREATE TEMP TABLE near AS
  SELECT DISTINCT upper(substr(name, 1, 8)) AS start FROM person WHERE name LIKE 'name 1%';
DELETE FROM person WHERE id % 3 = 0;
UPDATE person SET note = note || ' and more' WHERE id % 5 = 0;
INSERT INTO person SELECT id * 3 + 3000000000, name, town, note FROM person WHERE id % 7 = 0;
SELECT CASE WHEN (SELECT count(*) FROM person JOIN town ON town.id = person.town)
  = (SELECT count(*) FROM person) THEN 'ok' ELSE 'wrong' END;
SELECT sum(people) FROM found;
