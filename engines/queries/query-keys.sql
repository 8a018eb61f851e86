/* The most frequent pairs of a key and a value in queries, decoded as forms: the key, the captures with the key, the value, the captures
   with both. Of several pairs with one key in a URL, the first counts.
   Table: crawl. */
with queries as (select url_query_map(url) as pairs from crawl where url_query is not null),
    pairs as (select unnest(map_keys(pairs)) as key, unnest(map_values(pairs)) as value from queries),
    counts as (select key, value, count(*) as captures from pairs group by key, value)
select key, sum(captures) over (partition by key) as key_captures, value, captures
from counts
order by captures desc, key, value
limit 1000
