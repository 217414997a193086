/** Mark of the values of `jsonSchema()` and `zodSchema()` of the AI SDK. */
export const aiSchemaMark = Symbol.for('vercel.ai.schema');
