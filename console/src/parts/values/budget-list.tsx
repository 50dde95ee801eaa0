import { Stack, Text } from '@mantine/core'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import type { BudgetState } from '../../../../src/console-api/contract.ts'
import { formatDollars } from '../../format/dollars.ts'
import { formatReset } from '../../format/times.ts'

/** The spent and the remaining amount of each budget, and the time of its reset. */
export function BudgetList({ budgets }: { readonly budgets: readonly BudgetState[] }) {
  const { t, i18n } = useTranslation()
  if (budgets.length === 0) return null
  return (
    <Stack gap={2}>
      {budgets.map((budget) => (
        <Text
          key={budget.period}
          size="xs"
          c={colorOf(budget)}
          className="figures"
          style={{ whiteSpace: 'normal' }}
        >
          {textOf(budget, t, i18n.language)}
        </Text>
      ))}
    </Stack>
  )
}

function textOf(budget: BudgetState, t: TFunction, language: string): string {
  const { period, spentNano, remainingNano, resetsAt, unknownZone: zone = '' } = budget
  const limit = formatDollars(budget.limitNano)
  if (spentNano === null || remainingNano === null)
    return t('budget.unknownZone', { limit: t(`budget.limit.${period}`, { limit }), zone })
  const spent = formatDollars(spentNano)
  const text = t(`budget.${period}`, { spent, limit, remaining: formatDollars(remainingNano) })
  if (resetsAt === null) return text
  return `${text} · ${t('budget.resets', { at: formatReset(resetsAt, language) })}`
}

/** A budget that refuses all requests is red, and one that is almost spent is orange, like a quota. */
function colorOf(budget: BudgetState): string {
  if (budget.spentNano === null) return 'red'
  const [spentNano, limitNano] = [BigInt(budget.spentNano), BigInt(budget.limitNano)]
  if (spentNano >= limitNano) return 'red'
  return spentNano * 10n >= limitNano * 8n ? 'orange' : 'dimmed'
}
