//! The selected columns, and the schema with the new columns of `--append`: Parquet's, and Arrow's
//! in the metadata.
#![forbid(unsafe_code)]

use std::sync::Arc;

use ::parquet::basic::Repetition;
use ::parquet::errors::Result;
use ::parquet::schema::types::{SchemaDescriptor, Type};
use arrow_ipc::writer::{DictionaryTracker, IpcDataGenerator, IpcWriteOptions};
use arrow_schema::{Field, Schema};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;

/// The key of Arrow's schema.
pub(super) const ARROW: &str = "ARROW:schema";

/// A selected column.
pub(super) struct Leaf {
    /// Number among the leaves of the schema.
    pub(super) index: usize,
    /// Its path, for messages.
    pub(super) name: &'static str,
    /// Whether its values are UTF-8.
    pub(super) is_text: bool,
    /// With `--append`: name of the new column.
    pub(super) new: Option<String>,
}

/// The schema with the columns of these leaves, and after them a column for each leaf that has a
/// new name, with the type of the leaf. It may be NULL.
pub(super) fn of_output(schema: &SchemaDescriptor, leaves: &[Leaf], kept: &[usize]) -> Result<SchemaDescriptor> {
    let root = schema.root_schema();
    let is_kept = |number: usize| kept.iter().any(|&leaf| schema.get_column_root_idx(leaf) == number);
    let mut fields: Vec<_> = root.get_fields().to_vec();
    if kept.len() < schema.num_columns() {
        let numbered = fields.into_iter().enumerate();
        fields = numbered.filter(|&(number, _)| is_kept(number)).map(|(_, field)| field).collect();
    }
    for leaf in leaves {
        let Some(new) = &leaf.new else { continue };
        let column = schema.column(leaf.index);
        let field = Type::primitive_type_builder(new, column.physical_type())
            .with_repetition(Repetition::OPTIONAL)
            .with_converted_type(column.converted_type())
            .with_logical_type(column.logical_type_ref().cloned())
            .build()?;
        fields.push(Arc::new(field));
    }
    if fields.len() == root.get_fields().len() && kept.len() == schema.num_columns() {
        return Ok(SchemaDescriptor::new(schema.root_schema_ptr()));
    }
    let root = Type::group_type_builder(root.name()).with_fields(fields).build()?;
    Ok(SchemaDescriptor::new(Arc::new(root)))
}

/// Arrow's schema with the columns of these names; of all, if there are none. New columns follow:
/// pairs of the column that they are like, and their name. `None` if it is invalid.
pub(super) fn arrow_of_output(schema: &str, kept: &[&str], new: &[(&str, &str)]) -> Option<String> {
    let bytes = BASE64_STANDARD.decode(schema).ok()?;
    // Newer writers precede the message by a marker and its length.
    let message = if bytes.starts_with(&[0xFF; 4]) { bytes.get(8..)? } else { &bytes[..] };
    let schema = arrow_ipc::root_as_message(message).ok()?.header_as_schema().map(arrow_ipc::convert::fb_to_schema)?;
    let is_kept = |field: &&Arc<Field>| kept.is_empty() || kept.contains(&&field.name()[..]);
    let mut fields: Vec<Arc<Field>> = schema.fields().iter().filter(is_kept).cloned().collect();
    for (like, name) in new {
        let field = schema.field_with_name(like).ok()?;
        fields.push(Arc::new(Field::new(*name, field.data_type().clone(), true)));
    }
    let schema = Schema::new_with_metadata(fields, schema.metadata().clone());
    let mut tracker = DictionaryTracker::new(true);
    let message = IpcDataGenerator::default()
        .schema_to_bytes_with_dictionary_tracker(&schema, &mut tracker, &IpcWriteOptions::default())
        .ipc_message;
    let length = u32::try_from(message.len()).ok()?;
    Some(BASE64_STANDARD.encode([&[0xFF; 4][..], &length.to_le_bytes(), &message].concat()))
}
