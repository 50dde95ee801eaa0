import type { AuditFinding } from '../../../src/console-api/contract.ts'
import { formatDollars } from '../format/dollars.ts'
import { useKnownText } from './use-known-text.ts'

export function useFindingText(): (finding: AuditFinding) => string {
  const knownText = useKnownText()
  return ({ kind, id, differenceNano, text }) =>
    knownText(`finding.${kind}`, { id, amount: formatDollars(differenceNano) }) ?? text
}
