import type { ReplyTraits } from '../../protocols/reply-traits.ts'

/** Cache hits and misses are beside the totals, which are their sum. */
export const deepseekReplies: ReplyTraits = {
  usage: { cacheRead: ['prompt_cache_hit_tokens'], cacheMiss: 'prompt_cache_miss_tokens' },
  reasoningField: 'reasoning_content',
}

/** Cache hits are beside the totals. The report of a stream is in its last choice. */
export const moonshotReplies: ReplyTraits = {
  usage: { cacheRead: ['cached_tokens'], reportAt: [['choices', 'usage']] },
  reasoningField: 'reasoning_content',
}

/** The report of a stream is in a member of its own. */
export const groqReplies: ReplyTraits = {
  usage: { reportAt: [['x_groq', 'usage']] },
  reasoningField: 'reasoning',
}

/** In chat-completions, reasoning is counted beside the answer and included in the sum. */
export const xaiReplies: ReplyTraits = {
  usageBy: { 'chat-completions': { isReasoningBeside: true, searches: ['num_sources_used'] } },
  reasoningField: 'reasoning_content',
}

export const mistralReplies: ReplyTraits = { finishReasons: { model_length: 'length' } }

export const perplexityReplies: ReplyTraits = { usage: { searches: ['num_search_queries'] } }

/**
 * The research model counts the web content that it has read, and its reasoning about that content, in no total. The
 * vendor bills the first like input. The vendor bills the second at a separate price; the gateway charges it like
 * output.
 */
export const researchReplies: ReplyTraits = {
  usage: {
    ...perplexityReplies.usage,
    extra: { input: ['citation_tokens'], reasoning: ['reasoning_tokens'] },
  },
}

/** The names of the member with the reasoning. */
export const reasoningContentReplies: ReplyTraits = { reasoningField: 'reasoning_content' }
export const reasoningReplies: ReplyTraits = { reasoningField: 'reasoning' }

/**
 * An unknown server may be any of these services behind another URL. Fields that only detail the totals are read under
 * every known name, and a report at every known position, because this changes no total. Tokens beyond the totals are
 * charged only at the vendor that is known to bill them.
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
    isFormBySum: true,
  },
  finishReasons: {
    eos: 'stop',
    end_turn: 'stop',
    stop_sequence: 'stop-sequence',
    max_tokens: 'length',
    model_length: 'length',
  },
  // vLLM
  stopSequenceField: 'stop_reason',
}
