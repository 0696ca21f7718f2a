-- Two fingerprints within 3 bits agree in one of four blocks of 16 bits; within 7 bits, in all but
-- one bit of such a block. Each block has an index, which holds all that a search looks at: rows
-- with their texts stay where they are.
{{each block}}
CREATE INDEX IF NOT EXISTS {{index}}
    ON {{table}} (({{shifted {{column}}}} & 65535)) INCLUDE ({{column}}, {{id}});
{{end}}
-- Without statistics of these expressions no index is chosen.
ANALYZE {{table}};
