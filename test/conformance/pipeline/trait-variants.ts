import type { ProtocolName } from '../../../src/core/neutral/protocol-name.ts'
import type { ModelTraits } from '../../../src/protocols/model-traits.ts'

/** The newest model of each protocol's own vendor, and models with older or narrower traits. */
export const traitVariants: Readonly<Record<ProtocolName, readonly ModelTraits[]>> = {
  'chat-completions': [
    {},
    {
      outputLimitField: 'max_tokens',
      instructionRole: 'developer',
      structuredOutput: 'json_object',
      reasoningReturn: 'reasoning_content',
      takesStreamOptions: false,
      thinking: 'none',
    },
    { reasoningReturn: 'reasoning_details', takesCacheMarks: true, takesSampling: false },
  ],
  responses: [{}, { takesSampling: false, efforts: ['minimal', 'low', 'medium', 'high'] }],
  messages: [
    {},
    { thinking: 'budget', takesSystemTurns: true },
    { thinking: 'none', takesOutputFormat: false, takesSampling: false },
  ],
  'generate-content': [
    {},
    {
      thinking: 'budget',
      budgetMin: 0,
      budgetMax: 24_576,
      takesCallIds: false,
      schemaForm: 'classic',
    },
    { thinking: 'none' },
  ],
}
