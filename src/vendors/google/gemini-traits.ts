import type { Effort } from '../../core/neutral/model-request.ts'
import type { ModelTraits } from '../../protocols/model-traits.ts'

const newest = Number.POSITIVE_INFINITY

/** Google's compatible endpoint accepts both names of the output limit. */
const inChat: ModelTraits = { outputLimitField: 'max_tokens', instructionRole: 'system' }
const signed: ModelTraits = { ...inChat, signsCalls: true }

const plain: ModelTraits = {
  ...inChat,
  thinking: 'none',
  takesCallIds: false,
  schemaForm: 'classic',
}

const budgets: Readonly<Record<string, Pick<ModelTraits, 'budgetMin' | 'budgetMax'>>> = {
  pro: { budgetMin: 128, budgetMax: 32_768 },
  flash: { budgetMin: 0, budgetMax: 24_576 },
  'flash-lite': { budgetMin: 512, budgetMax: 24_576 },
}

/** The traits of a Gemini model. A name without a version, or with a later one, is treated as the newest. */
export function geminiTraits(model: string): ModelTraits {
  const name = model.slice(model.lastIndexOf('/') + 1).toLowerCase()
  if (name.startsWith('gemma')) return plain
  const version = readVersion(name)
  if (version < 205) return plain
  const tier = /flash-lite|flash|pro/.exec(name)?.[0] ?? ''
  const canReason = !/-(?:image|tts|audio|live|native-audio)/.test(name)
  if (version < 300) {
    const older = { ...signed, takesCallIds: false }
    if (!canReason) return { ...older, thinking: 'none' }
    const range = budgets[tier] ?? budgets['pro']
    return { ...older, thinking: 'budget', ...range, ...(tier === 'pro' && { alwaysThinks: true }) }
  }
  if (!canReason) return { ...signed, thinking: 'none' }
  return { ...signed, thinking: 'level', efforts: levelsOf(tier, version), alwaysThinks: true }
}

/** `minimal` came with Flash and was removed in 3.6. The first Pro had no `medium`. */
function levelsOf(tier: string, version: number): readonly Effort[] {
  if (tier === 'pro' && version < 301) return ['low', 'high']
  const isMinimalTaken = tier === 'flash-lite' || (tier === 'flash' && version < 306)
  return isMinimalTaken ? ['minimal', 'low', 'medium', 'high'] : ['low', 'medium', 'high']
}

/** 205 means version 2.5. */
function readVersion(name: string): number {
  const [, major, minor] = /gemini-(\d)(?:\.(\d))?(?!\d)/.exec(name) ?? []
  return major === undefined ? newest : Number(major) * 100 + Number(minor ?? 0)
}
