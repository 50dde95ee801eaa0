import type { Effort } from '../../core/model-request.ts'
import type { ModelTraits } from '../../protocols/model-traits.ts'
import { commonCore, familyTraits } from './family-traits.ts'
import {
  deepseekReplies,
  groqReplies,
  longWord,
  mistralReplies,
  moonshotReplies,
  perplexityReplies,
  researchReplies,
  shortWord,
  xaiReplies,
} from './reply-traits.ts'

/** One service that speaks chat-completions in its own way. */
export interface Dialect {
  readonly hosts: readonly string[]
  /** `name` is in lower case, without its owner. */
  traits(name: string): ModelTraits
}

const allEfforts: readonly Effort[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh']

function effort(...efforts: readonly Effort[]): ModelTraits {
  const alwaysThinks = efforts.includes('none') ? {} : { alwaysThinks: true }
  return { thinking: 'effort', efforts, ...alwaysThinks }
}

/** These take one set of words for all models and fit it to each themselves. */
const router: ModelTraits = {
  ...commonCore,
  ...effort(...allEfforts),
  reasoningReturn: 'reasoning_details',
  takesCacheMarks: true,
  replies: shortWord,
}

const returning: ModelTraits = {
  ...commonCore,
  reasoningReturn: 'reasoning_content',
  replies: longWord,
}

/** Without `json_schema` of its own. */
const looseJson: ModelTraits = { ...returning, structuredOutput: 'json_object' }
const deepseek: ModelTraits = { ...looseJson, replies: deepseekReplies }

/**
 * The services whose habits are known, by host. Servers that people run themselves (vLLM, Ollama, llama.cpp, LM
 * Studio) have no host to know them by; the family of the model decides there.
 */
export const dialects: readonly Dialect[] = [
  { hosts: ['openrouter.ai', 'ai-gateway.vercel.sh'], traits: () => router },
  {
    hosts: ['deepseek.com'],
    traits: (name) =>
      // The two older names think, or do not, by themselves.
      /^deepseek-(?:chat|reasoner)/.test(name)
        ? deepseek
        : { ...deepseek, ...effort('low', 'high', 'max') },
  },
  {
    hosts: ['mistral.ai'],
    // Usage comes in the last chunk without being asked for; a field that Mistral does not know is a 422.
    traits: (name) => ({
      ...commonCore,
      takesStreamOptions: false,
      replies: mistralReplies,
      ...(/^mistral-small-(?:latest|26)/.test(name) && effort('none', 'high')),
    }),
  },
  {
    hosts: ['groq.com'],
    traits: (name) => ({
      ...withoutReturn(name),
      replies: groqReplies,
      structuredOutput: /^(?:gpt-oss|llama-4|kimi)/.test(name) ? 'json_schema' : 'json_object',
    }),
  },
  {
    hosts: ['x.ai'],
    traits: (name) => ({ ...commonCore, ...grokThinking(name), replies: xaiReplies }),
  },
  { hosts: ['moonshot.ai', 'moonshot.cn', 'kimi.com'], traits: kimiTraits },
  {
    hosts: ['z.ai', 'bigmodel.cn'],
    traits: (name) => ({
      ...looseJson,
      stopMax: 1,
      ...(!name.startsWith('glm-4') && effort('low', 'high', 'max')),
    }),
  },
  { hosts: ['aliyuncs.com'], traits: () => looseJson },
  {
    hosts: ['perplexity.ai'],
    // Every chunk has usage.
    traits: (name) => ({
      ...commonCore,
      takesStreamOptions: false,
      replies: name.includes('deep-research') ? researchReplies : perplexityReplies,
      ...(/reasoning|research/.test(name) && effort('minimal', 'low', 'medium', 'high')),
    }),
  },
  {
    hosts: ['cerebras.ai'],
    traits: (name) => ({ ...withoutReturn(name), replies: shortWord }),
  },
  {
    hosts: ['generativelanguage.googleapis.com'],
    traits: () => ({ ...commonCore, ...effort('low', 'medium', 'high'), signsCalls: true }),
  },
]

/** They call a thought by another word, so none is returned to them. */
function withoutReturn(name: string): ModelTraits {
  const { reasoningReturn: _, ...traits } = familyTraits(name)
  return traits
}

/** Grok 3 mini, 4.3 and all since 4.5 take a word; the others refuse the field itself. */
function grokThinking(name: string): ModelTraits {
  if (name.startsWith('grok-3-mini')) return effort('low', 'high')
  if (name.startsWith('grok-4.3')) return effort('none', 'low', 'medium', 'high')
  const refuses = /^grok-(?:[23](?!\d)|4(?!\.[5-9])|code)/.test(name)
  return refuses ? {} : effort('low', 'medium', 'high')
}

/** From K2.5 on sampling is fixed and any other value is a 400; K3 always thinks. */
function kimiTraits(name: string): ModelTraits {
  const isFixed = !/^(?:moonshot|kimi-latest|kimi-k2(?!\.[5-9]))/.test(name)
  const isThird = isFixed && !name.startsWith('kimi-k2')
  return {
    ...looseJson,
    replies: moonshotReplies,
    ...(isFixed && { takesSampling: false }),
    ...(isThird && effort('low', 'high', 'max')),
  }
}
