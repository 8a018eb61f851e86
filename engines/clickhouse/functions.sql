-- Functions of ClickHouse over the WebAssembly module `simdpct`: docs/engines.md.
create or replace function wasm_decode_lossy language wasm from 'simdpct' :: 'pct_decode_lossy' arguments (text String) returns String
    abi buffered_v1 deterministic settings serialization_format = 'Buffers';
create or replace function wasm_form_decode_lossy language wasm from 'simdpct' :: 'form_decode_lossy' arguments (text String) returns String
    abi buffered_v1 deterministic settings serialization_format = 'Buffers';
create or replace function wasm_decode_bytes language wasm from 'simdpct' :: 'pct_decode_bytes' arguments (text String) returns String
    abi buffered_v1 deterministic settings serialization_format = 'Buffers';
create or replace function wasm_encode language wasm from 'simdpct' :: 'pct_encode' arguments (text String) returns String
    abi buffered_v1 deterministic settings serialization_format = 'Buffers';
create or replace function wasm_normalize language wasm from 'simdpct' :: 'pct_normalize' arguments (text String) returns String
    abi buffered_v1 deterministic settings serialization_format = 'Buffers';
create or replace function wasm_canonical_path language wasm from 'simdpct' :: 'canonical_path' arguments (text String) returns Nullable(String)
    abi buffered_v1 deterministic settings serialization_format = 'Buffers';
