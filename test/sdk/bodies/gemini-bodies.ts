import type { JsonObject } from '../../../src/wire/json.ts'

const parametersJsonSchema = {
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'integer' } },
  required: ['city'],
}

/** A later request of gemini-cli: with its own ids, and with the placeholder for a missing signature. */
export const geminiCliBody: JsonObject = {
  contents: [
    { role: 'user', parts: [{ text: 'This is the context.' }, { text: 'How is the weather?' }] },
    {
      role: 'model',
      parts: [
        { text: 'I will look.', thought: true },
        {
          functionCall: { id: 'get_weather_1', name: 'get_weather', args: { city: 'Rome' } },
          thoughtSignature: 'skip_thought_signature_validator',
        },
        { functionCall: { id: 'get_weather_2', name: 'get_weather', args: { city: 'Oslo' } } },
      ],
    },
    {
      role: 'user',
      parts: [
        {
          functionResponse: {
            id: 'get_weather_1',
            name: 'get_weather',
            response: { output: 'sunny' },
          },
        },
        {
          functionResponse: {
            id: 'get_weather_2',
            name: 'get_weather',
            response: { output: 'snow' },
          },
        },
      ],
    },
  ],
  systemInstruction: {
    role: 'user',
    parts: [{ text: 'You are an agent.' }, { text: 'Be brief.' }],
  },
  tools: [
    {
      functionDeclarations: [
        { name: 'get_weather', description: 'The weather.', parametersJsonSchema },
        { name: 'mcp_files.read:all', description: 'Files.', parametersJsonSchema },
      ],
    },
  ],
  generationConfig: {
    temperature: 1,
    topP: 0.95,
    topK: 64,
    thinkingConfig: { includeThoughts: true, thinkingBudget: 8_192 },
  },
}

/** The same prompt with field names in snake case, as in Google's older documents. */
export const snakeCaseBody: JsonObject = {
  contents: {
    parts: [
      { text: 'What is in the picture?' },
      { inline_data: { mime_type: 'image/png', data: 'iVBORw0KGgo=' } },
    ],
  },
  system_instruction: { parts: { text: 'Be brief.' } },
  tools: [
    {
      function_declarations: [
        {
          name: 'get_weather',
          description: 'The weather.',
          parameters: {
            type: 'OBJECT',
            properties: { city: { type: 'STRING' }, days: { type: 'INTEGER', nullable: true } },
            required: ['city'],
          },
        },
      ],
    },
  ],
  tool_config: { function_calling_config: { mode: 'any' } },
  generation_config: { max_output_tokens: 500, stop_sequences: [] },
  safety_settings: [],
}
