import type { Effort } from '../../core/neutral/model-request.ts'
import type { ModelTraits } from '../../protocols/model-traits.ts'
import { commonCore, familyTraits } from './family-traits.ts'
import {
  deepseekReplies,
  groqReplies,
  mistralReplies,
  moonshotReplies,
  perplexityReplies,
  reasoningContentReplies,
  reasoningReplies,
  researchReplies,
  xaiReplies,
} from './reply-traits.ts'

/** One service with its own dialect of chat-completions. */
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

/** These services accept one set of fields for all models and adapt it to each model. */
const router: ModelTraits = {
  ...commonCore,
  ...effort(...allEfforts),
  reasoningReturn: 'reasoning_details',
  takesCacheMarks: true,
  replies: reasoningReplies,
}

const returning: ModelTraits = {
  ...commonCore,
  reasoningReturn: 'reasoning_content',
  replies: reasoningContentReplies,
}

/** These services do not support `json_schema`. */
const looseJson: ModelTraits = { ...returning, structuredOutput: 'json_object' }
const deepseek: ModelTraits = { ...looseJson, replies: deepseekReplies }

/**
 * The services with known traits, by host. Self-hosted servers (vLLM, Ollama, llama.cpp, LM Studio) have no known host;
 * the family of the model decides for them.
 */
export const dialects: readonly Dialect[] = [
  { hosts: ['openrouter.ai', 'ai-gateway.vercel.sh'], traits: () => router },
  {
    hosts: ['deepseek.com'],
    traits: (name) =>
      // The two older names have fixed reasoning: on or off.
      /^deepseek-(?:chat|reasoner)/.test(name)
        ? deepseek
        : { ...deepseek, ...effort('low', 'high', 'max') },
  },
  {
    hosts: ['mistral.ai'],
    // Usage comes in the last chunk without a request for it. Mistral answers an unknown field with 422.
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
    traits: (name) => ({ ...withoutReturn(name), replies: reasoningReplies }),
  },
  {
    hosts: ['generativelanguage.googleapis.com'],
    traits: () => ({ ...commonCore, ...effort('low', 'medium', 'high'), signsCalls: true }),
  },
]

/** These services use another name for reasoning, so no reasoning is returned to them. */
function withoutReturn(name: string): ModelTraits {
  const { reasoningReturn: _, ...traits } = familyTraits(name)
  return traits
}

/** Grok 3 mini, 4.3 and all models since 4.5 accept an effort. The others reject the field itself. */
function grokThinking(name: string): ModelTraits {
  if (name.startsWith('grok-3-mini')) return effort('low', 'high')
  if (name.startsWith('grok-4.3')) return effort('none', 'low', 'medium', 'high')
  const refuses = /^grok-(?:[23](?!\d)|4(?!\.[5-9])|code)/.test(name)
  return refuses ? {} : effort('low', 'medium', 'high')
}

/** From K2.5 on, sampling is fixed and any other value is a 400. K3 always reasons. */
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
