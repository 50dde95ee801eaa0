import type { ProtocolName } from '../../../src/core/neutral/protocol-name.ts'

export interface ExpectedRefusal {
  readonly why: string
  readonly param: RegExp
  readonly message: RegExp
  /** Absent: any upstream. */
  readonly upstreams?: readonly ProtocolName[]
}

/** Requests that cannot be translated according to the reference (9.11, 9.14, 9.17, 9.18). */
export const expectedRefusals: readonly ExpectedRefusal[] = [
  {
    why: 'several choices, from an upstream that returns one',
    param: /^(?:n|generationConfig\.candidateCount)$/,
    message: /one choice/,
    upstreams: ['responses', 'messages'],
  },
  {
    why: 'a strict schema, for a model that does not support it',
    param: /^(?:response_format|text\.format|output_config\.format)/,
    message: /Schema|schema/,
    upstreams: ['chat-completions', 'messages'],
  },
  {
    why: 'audio, for an upstream that does not accept it',
    param: /^(?:messages|input|contents)/,
    message: /audio/,
    upstreams: ['messages'],
  },
  {
    why: 'video, for an upstream that does not accept it',
    param: /^(?:messages|input|contents)/,
    message: /[Vv]ideo/,
    upstreams: ['chat-completions', 'responses', 'messages'],
  },
  {
    why: 'a document URL, for an upstream that does not fetch documents',
    param: /^(?:messages|input|contents)/,
    message: /does not fetch documents/,
    upstreams: ['chat-completions'],
  },
  {
    why: 'a file stored by another vendor',
    param: /^(?:messages|input|contents)/,
    message: /file/,
  },
  {
    why: 'a response that is not stored here',
    param: /^previous_response_id$/,
    message: /not stored/,
  },
  {
    why: 'a prompt that the vendor stores',
    param: /^prompt$/,
    message: /prompt/,
  },
]
