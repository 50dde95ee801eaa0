import { SimpleGrid, Text } from '@mantine/core'
import { memo } from 'react'
import { useTranslation } from 'react-i18next'
import type { UsageTotals as Totals } from '../../../src/console-api/contract.ts'
import { formatCount, formatPercent } from '../format/counts.ts'
import { formatDuration, formatMoment } from '../format/times.ts'
import { inputTokens } from '../format/token-sums.ts'
import { FigureCard } from '../parts/values/figure-card.tsx'
import { Money } from '../parts/values/money.tsx'

/** Totals of all requests that match the filter, not only of the loaded rows. */
export const UsageTotals = memo(function UsageTotals({ totals }: { totals: Totals | undefined }) {
  const { t, i18n } = useTranslation()
  const input = totals && inputTokens(totals.tokens)
  const share = (part: number, whole: number) => formatPercent(whole === 0 ? 0 : part / whole)
  return (
    <>
      <SimpleGrid cols={{ base: 2, md: 5 }} spacing="sm" mb="md" className="five-figures">
        <FigureCard
          label={t('usage.totalCost')}
          figure={totals && <Money nano={totals.costNano} isFitted />}
        />
        <FigureCard
          label={t('usage.totalRequests')}
          figure={totals && formatCount(totals.requests)}
        />
        <FigureCard
          label={t('usage.totalErrors')}
          figure={totals && formatCount(totals.errors)}
          hint={totals && t('usage.ofThem', { percent: share(totals.errors, totals.requests) })}
        />
        <FigureCard
          label={t('usage.totalTokens')}
          figure={totals && input !== undefined && formatCount(input + totals.tokens.output)}
          hint={
            totals &&
            input !== undefined &&
            t('usage.inOut', {
              input: formatCount(input),
              output: formatCount(totals.tokens.output),
            })
          }
        />
        <FigureCard
          label={t('usage.totalFirstToken')}
          figure={
            totals && (totals.firstTokenMs === null ? '—' : formatDuration(totals.firstTokenMs))
          }
          hint={
            totals &&
            totals.totalMs !== null &&
            t('usage.meanTotal', { time: formatDuration(totals.totalMs) })
          }
        />
      </SimpleGrid>
      {totals?.isCut && totals.from !== null && (
        <Text size="xs" c="dimmed" mb="md" mt={-8}>
          {t('usage.cut', { time: formatMoment(totals.from, i18n.language) })}
        </Text>
      )}
    </>
  )
})
