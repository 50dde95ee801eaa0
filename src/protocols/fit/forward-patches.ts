import type { MemberPatch } from '../../wire/patch-json.ts'
import type { ForwardTarget } from '../protocol.ts'
import type { RequestFacts } from '../request-facts.ts'

/** The patches that any forwarded body may need: the upstream's model id, and an output limit that the model allows. */
export function forwardPatches(
  facts: RequestFacts,
  target: ForwardTarget,
  limitName: string,
): MemberPatch[] {
  const patches: MemberPatch[] = []
  if (target.model !== facts.model) {
    patches.push({ name: 'model', value: JSON.stringify(target.model) })
  }
  if (isLimitLowered(facts, target)) {
    patches.push({ name: limitName, value: String(target.outputTokensMax) })
  }
  return patches
}

export function isLimitLowered({ outputTokensMax }: RequestFacts, target: ForwardTarget): boolean {
  return outputTokensMax !== undefined && outputTokensMax > target.outputTokensMax
}
