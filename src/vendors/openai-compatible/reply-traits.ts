import type { ReplyTraits } from '../../protocols/reply-traits.ts'

/** Cache hits and misses beside the totals, which are their sum. */
export const deepseekReplies: ReplyTraits = {
  usage: { cacheRead: ['prompt_cache_hit_tokens'], cacheMiss: 'prompt_cache_miss_tokens' },
  thoughtField: 'reasoning_content',
}

/** Cache hits beside the totals; the report of a stream stands in its last choice. */
export const moonshotReplies: ReplyTraits = {
  usage: { cacheRead: ['cached_tokens'], reportAt: [['choices', 'usage']] },
  thoughtField: 'reasoning_content',
}

/** The report of a stream stands in a corner of its own. */
export const groqReplies: ReplyTraits = {
  usage: { reportAt: [['x_groq', 'usage']] },
  thoughtField: 'reasoning',
}

/** Reasoning is counted beside the answer, and in the sum. */
export const xaiReplies: ReplyTraits = {
  usage: { isReasoningBeside: true, searches: ['num_sources_used'] },
  thoughtField: 'reasoning_content',
}

export const mistralReplies: ReplyTraits = { finishWords: { model_length: 'length' } }

export const perplexityReplies: ReplyTraits = { usage: { searches: ['num_search_queries'] } }

/**
 * Its research model counts what it has read of the web, and its reasoning about that, in no total. The vendor bills
 * the first like input. The second, which it bills by a price of its own, is charged like output.
 */
export const researchReplies: ReplyTraits = {
  usage: {
    ...perplexityReplies.usage,
    extra: { input: ['citation_tokens'], reasoning: ['reasoning_tokens'] },
  },
}

/** Words for the member with the thoughts. */
export const longWord: ReplyTraits = { thoughtField: 'reasoning_content' }
export const shortWord: ReplyTraits = { thoughtField: 'reasoning' }

/**
 * A server that nobody knows may be any of these behind another address. What only tells a part of the totals is read
 * under every known name, and a report at every known place: that changes no total. What would come on top of the
 * totals is charged only at the vendor that is known to bill it.
 */
export const unknownReplies: ReplyTraits = {
  usage: {
    reportAt: [
      ['x_groq', 'usage'],
      ['choices', 'usage'],
    ],
    cacheRead: ['prompt_cache_hit_tokens', 'cached_tokens'],
    cacheMiss: 'prompt_cache_miss_tokens',
    reasoning: ['reasoning_tokens'],
    searches: ['num_search_queries', 'num_sources_used'],
  },
  finishWords: {
    eos: 'stop',
    end_turn: 'stop',
    stop_sequence: 'stop-sequence',
    max_tokens: 'length',
    model_length: 'length',
  },
  // vLLM
  stopSequenceField: 'stop_reason',
}
