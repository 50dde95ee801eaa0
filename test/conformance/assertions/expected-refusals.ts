import type { ProtocolName } from '../../../src/core/protocol-name.ts'

export interface ExpectedRefusal {
  readonly why: string
  readonly param: RegExp
  readonly message: RegExp
  /** Absent: any upstream. */
  readonly upstreams?: readonly ProtocolName[]
}

/** What the reference says cannot be translated (9.11, 9.14, 9.17, 9.18). */
export const expectedRefusals: readonly ExpectedRefusal[] = [
  {
    why: 'several answers, of an upstream that gives one',
    param: /^(?:n|generationConfig\.candidateCount)$/,
    message: /one answer/,
    upstreams: ['responses', 'messages'],
  },
  {
    why: 'a strict schema, of a model that cannot hold to one',
    param: /^(?:response_format|text\.format|output_config\.format)/,
    message: /Schema|schema/,
    upstreams: ['chat-completions', 'messages'],
  },
  {
    why: 'audio, to an upstream that does not hear',
    param: /^(?:messages|input|contents)/,
    message: /audio/,
    upstreams: ['messages'],
  },
  {
    why: 'video, to an upstream that does not see it',
    param: /^(?:messages|input|contents)/,
    message: /[Vv]ideo/,
    upstreams: ['chat-completions', 'responses', 'messages'],
  },
  {
    why: 'the address of a document, to an upstream that fetches none',
    param: /^(?:messages|input|contents)/,
    message: /does not fetch documents/,
    upstreams: ['chat-completions'],
  },
  {
    why: 'a file that another vendor holds',
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
