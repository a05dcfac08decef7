-- A session on CPU 2 fills a table, so that the table's part of the shared buffers is first touched
-- there; a session on CPU 6 reads it. `homenode where` shows what each of them has mapped.
select pg_backend_pid() as pid \gset
\setenv BACKEND :pid
\! homenode where $BACKEND --threads 2 > bound.log
create table words (id int, word text);
insert into words select number, repeat('x', 500) from generate_series(1, 40000) number;
select 'filled ' || pg_size_pretty(pg_relation_size('words'));
\! homenode where $BACKEND --mappings=1
\connect
select pg_backend_pid() as pid \gset
\setenv BACKEND :pid
\! homenode where $BACKEND --threads 6 > bound.log
select 'read ' || count(*) || ' rows' from words;
\! homenode where $BACKEND --mappings=1
