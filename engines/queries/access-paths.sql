/* An access log without duplicates: one row for each canonical path, with its requests, the spellings among them and the bytes sent. NULL:
   targets that the policy refuses.
   Table: access. */
select path, count(*) as requests, count(distinct target) as spellings, min(target) as example, sum(bytes) as bytes
from (select url_path_canonical(target) as path, target, bytes from access) as logged
group by path
order by requests desc, path nulls last
