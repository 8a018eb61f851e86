-- Functions of ClickHouse over the WebAssembly module `simdpct`: docs/engines.md.
create or replace function wasm_decode_lossy language WASM from 'simdpct' :: 'pct_decode_lossy' arguments (text String) returns String
    abi BUFFERED_V1 deterministic settings serialization_format = 'Buffers';
create or replace function wasm_form_decode_lossy language WASM from 'simdpct' :: 'form_decode_lossy' arguments (text String) returns String
    abi BUFFERED_V1 deterministic settings serialization_format = 'Buffers';
create or replace function wasm_decode_bytes language WASM from 'simdpct' :: 'pct_decode_bytes' arguments (text String) returns String
    abi BUFFERED_V1 deterministic settings serialization_format = 'Buffers';
create or replace function wasm_encode language WASM from 'simdpct' :: 'pct_encode' arguments (text String) returns String
    abi BUFFERED_V1 deterministic settings serialization_format = 'Buffers';
create or replace function wasm_normalize language WASM from 'simdpct' :: 'pct_normalize' arguments (text String) returns String
    abi BUFFERED_V1 deterministic settings serialization_format = 'Buffers';
create or replace function wasm_canonical_path language WASM from 'simdpct' :: 'canonical_path' arguments (text String) returns Nullable(String)
    abi BUFFERED_V1 deterministic settings serialization_format = 'Buffers';
