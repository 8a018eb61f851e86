//! Reading of messages: batches of a file or a stream.
//!
//! Lengths in a damaged file may be anything. The readers of the crate allocate what they say,
//! which ends the process if there is no such memory; so they are checked here first.
#![forbid(unsafe_code)]

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::sync::Arc;
use std::vec::IntoIter;

use arrow_array::RecordBatch;
use arrow_buffer::Buffer;
use arrow_ipc::convert::fb_to_schema;
use arrow_ipc::reader::{FileDecoder, StreamDecoder, read_footer_length};
use arrow_ipc::{Block, CompressionType, root_as_footer, root_as_message};
use arrow_schema::{ArrowError, Schema, SchemaRef};

use crate::columnar::input::Content;

/// The record batches of a file or a stream.
pub(super) struct Batches {
    source: Source,
    pub(super) schema: SchemaRef,
    /// Of a file: its own metadata.
    pub(super) metadata: Option<BTreeMap<String, String>>,
    /// Compression of the first batch.
    pub(super) compression: Option<CompressionType>,
    /// Length of the file, divided by the number of batches.
    pub(super) length_of_each: u64,
}

enum Source {
    File {
        file: File,
        decoder: FileDecoder,
        blocks: IntoIter<Block>,
    },
    /// The rest of the last message, which is not decoded yet.
    Stream {
        stream: Box<dyn Read + Send>,
        decoder: StreamDecoder,
        rest: Buffer,
    },
}

/// A message, with the marker and the length that precede it.
struct Message {
    bytes: Vec<u8>,
    /// Length of all but the body.
    head: usize,
}

/// The bytes that precede the length of a message, except in old files.
const CONTINUATION: [u8; 4] = [0xFF; 4];

/// The end of a stream: a message of length 0.
const END: [u8; 8] = [0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0];

impl Batches {
    pub(super) fn open(content: Content) -> Result<Self, ArrowError> {
        match content {
            Content::File(file) => Self::of_file(file),
            Content::Stream(stream) => Self::of_stream(stream),
        }
    }

    fn of_file(mut file: File) -> Result<Self, ArrowError> {
        let length = file.metadata()?.len();
        let mut end = [0; 10];
        file.seek(SeekFrom::End(-10))?;
        file.read_exact(&mut end)?;
        let footer_length = read_footer_length(end)?;
        file.seek(SeekFrom::End(-10 - footer_length as i64))?;
        let footer = read(&mut file, footer_length as u64)?;
        let footer = root_as_footer(&footer).map_err(|error| ArrowError::ParseError(error.to_string()))?;
        let schema = schema_of(footer.schema())?;
        let mut decoder = FileDecoder::new(Arc::clone(&schema), footer.version());
        for block in footer.dictionaries().iter().flatten() {
            decoder.read_dictionary(block, &read_block(&mut file, block)?.bytes.into())?;
        }
        let blocks: Vec<_> = footer.recordBatches().iter().flatten().copied().collect();
        let mut metadata = BTreeMap::new();
        for entry in footer.custom_metadata().iter().flatten() {
            let text = |text: Option<&str>| text.unwrap_or_default().to_owned();
            metadata.insert(text(entry.key()), text(entry.value()));
        }
        let compression = match blocks.first() {
            None => None,
            Some(block) => read_block(&mut file, block)?.compression(),
        };
        let length_of_each = length / blocks.len().max(1) as u64;
        let source = Source::File { file, decoder, blocks: blocks.into_iter() };
        Ok(Self { source, schema, metadata: Some(metadata), compression, length_of_each })
    }

    fn of_stream(mut stream: Box<dyn Read + Send>) -> Result<Self, ArrowError> {
        let mut decoder = StreamDecoder::new();
        let first = Message::read(&mut stream)?.ok_or_else(|| ArrowError::IpcError("an empty stream".into()))?;
        let schema = schema_of(first.header().and_then(|header| header.header_as_schema()))?;
        decoder.decode(&mut first.bytes.into())?;
        let next = Message::read(&mut stream)?;
        let compression = next.as_ref().and_then(Message::compression);
        let rest = next.map_or_else(|| END.into(), |message| message.bytes).into();
        // The bytes of a stream are counted where they are read.
        let source = Source::Stream { stream, decoder, rest };
        Ok(Self { source, schema, metadata: None, compression, length_of_each: 0 })
    }

    /// The schema as a plain value.
    pub(super) fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Reads the next batch.
    pub(super) fn next(&mut self) -> Result<Option<RecordBatch>, ArrowError> {
        match &mut self.source {
            Source::File { file, decoder, blocks } => match blocks.next() {
                None => Ok(None),
                Some(block) => decoder.read_record_batch(&block, &read_block(file, &block)?.bytes.into()),
            },
            Source::Stream { stream, decoder, rest } => {
                let mut is_over = false;
                loop {
                    let batch = decoder.decode(rest)?;
                    if batch.is_some() || is_over {
                        return Ok(batch);
                    }
                    match Message::read(stream)? {
                        Some(message) => *rest = message.bytes.into(),
                        // The decoder processes a message without a body when more follows.
                        None => (*rest, is_over) = (END.into(), true),
                    }
                }
            }
        }
    }
}

fn schema_of(schema: Option<arrow_ipc::Schema<'_>>) -> Result<SchemaRef, ArrowError> {
    let schema = schema.ok_or_else(|| ArrowError::IpcError("no schema".into()))?;
    if !schema.endianness().equals_to_target_endianness() {
        return Err(ArrowError::IpcError("another byte order".into()));
    }
    Ok(Arc::new(fb_to_schema(schema)))
}

/// Reads a message of a file.
fn read_block(file: &mut File, block: &Block) -> Result<Message, ArrowError> {
    let position = |number: i64| u64::try_from(number).map_err(|_| ArrowError::ParseError("a negative length".into()));
    let head = position(block.metaDataLength().into())?;
    let length = head.saturating_add(position(block.bodyLength())?);
    file.seek(SeekFrom::Start(position(block.offset())?))?;
    let message = Message { bytes: read(file, length)?, head: head as usize };
    message.check()?;
    Ok(message)
}

/// Reads bytes. Memory is taken as they come, whatever the length.
fn read(input: &mut impl Read, length: u64) -> Result<Vec<u8>, ArrowError> {
    let mut bytes = Vec::new();
    input.take(length).read_to_end(&mut bytes)?;
    match bytes.len() as u64 == length {
        true => Ok(bytes),
        false => Err(ArrowError::IpcError("unexpected end".into())),
    }
}

impl Message {
    /// Reads the next message of a stream; `None` at its end.
    fn read(stream: &mut impl Read) -> Result<Option<Self>, ArrowError> {
        let mut start = Vec::new();
        stream.take(4).read_to_end(&mut start)?;
        // A stream may end without a mark.
        if start.is_empty() {
            return Ok(None);
        }
        if start == CONTINUATION {
            start.extend(read(stream, 4)?);
        }
        let length = start.last_chunk().map(|&length| u32::from_le_bytes(length));
        let length = length.ok_or_else(|| ArrowError::IpcError("unexpected end".into()))?;
        if length == 0 {
            return Ok(None);
        }
        let mut message = Self { bytes: start, head: 0 };
        message.bytes.extend(read(stream, length.into())?);
        message.head = message.bytes.len();
        let body = message.header().map(|header| header.bodyLength()).unwrap_or_default();
        let body = u64::try_from(body).map_err(|_| ArrowError::ParseError("a negative length".into()))?;
        message.bytes.extend(read(stream, body)?);
        message.check()?;
        Ok(Some(message))
    }

    fn header(&self) -> Option<arrow_ipc::Message<'_>> {
        let head = self.bytes.get(..self.head)?;
        let skipped = if head.starts_with(&CONTINUATION) { 8 } else { 4 };
        root_as_message(head.get(skipped..)?).ok()
    }

    /// The batch of values in the message.
    fn batch(&self) -> Option<arrow_ipc::RecordBatch<'_>> {
        let header = self.header()?;
        header.header_as_record_batch().or_else(|| header.header_as_dictionary_batch()?.data())
    }

    fn compression(&self) -> Option<CompressionType> {
        Some(self.batch()?.compression()?.codec())
    }

    /// Checks the lengths of the compressed buffers: each begins with that of its content.
    fn check(&self) -> Result<(), ArrowError> {
        let Some(batch) = self.batch().filter(|batch| batch.compression().is_some()) else { return Ok(()) };
        for buffer in batch.buffers().iter().flatten() {
            let start = usize::try_from(buffer.offset()).ok().and_then(|offset| self.head.checked_add(offset));
            let content = start.and_then(|start| self.bytes.get(start..)).and_then(|content| content.first_chunk());
            let length = content.map_or(0, |&length| i64::from_le_bytes(length));
            let is_possible = |length| Vec::<u8>::new().try_reserve_exact(length).is_ok();
            if buffer.length() >= 8 && !usize::try_from(length.max(0)).is_ok_and(is_possible) {
                return Err(ArrowError::IpcError(format!("no memory for a buffer of {length} bytes")));
            }
        }
        Ok(())
    }
}
