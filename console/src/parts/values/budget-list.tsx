import { Stack, Text } from '@mantine/core'
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
      {budgets.map(({ period, limitNano, spentNano, remainingNano, resetsAt }) => (
        <Text
          key={period}
          size="xs"
          c={colorOf(BigInt(spentNano), BigInt(limitNano))}
          className="figures"
          style={{ whiteSpace: 'normal' }}
        >
          {t(`budget.${period}`, {
            spent: formatDollars(spentNano),
            limit: formatDollars(limitNano),
            remaining: formatDollars(remainingNano),
          })}
          {resetsAt !== null &&
            ` · ${t('budget.resets', { at: formatReset(resetsAt, i18n.language) })}`}
        </Text>
      ))}
    </Stack>
  )
}

/** A budget that is spent is red, and one that is almost spent is orange, like a quota. */
function colorOf(spentNano: bigint, limitNano: bigint): string {
  if (spentNano >= limitNano) return 'red'
  return spentNano * 10n >= limitNano * 8n ? 'orange' : 'dimmed'
}
