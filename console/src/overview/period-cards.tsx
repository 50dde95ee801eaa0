import { SimpleGrid } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { OverviewAnswer, UsageSums } from '../../../src/console-api/contract.ts'
import { formatCount, formatPercent } from '../format/counts.ts'
import { formatShortDollars } from '../format/dollars.ts'
import { formatDuration } from '../format/times.ts'
import { inputTokens } from '../format/token-sums.ts'
import { FigureCard } from '../parts/values/figure-card.tsx'
import { Money } from '../parts/values/money.tsx'
import { ChangeMark } from './change-mark.tsx'

const tokensOf = ({ tokens }: UsageSums) => inputTokens(tokens) + tokens.output

/** Totals of the period, each with the total of the previous period of the same length. */
export function PeriodCards({ overview }: { overview: OverviewAnswer | undefined }) {
  const { t } = useTranslation()
  const now = overview?.now
  const before = overview?.before
  const was = (figure: string | false | undefined) =>
    before && before.requests > 0 && typeof figure === 'string' && t('overview.before', { figure })
  const mark = (figure: (sums: UsageSums) => number, meaning?: 'good' | 'bad') =>
    now &&
    before && <ChangeMark now={figure(now)} before={figure(before)} {...(meaning && { meaning })} />
  const errorShare = (sums: UsageSums) =>
    formatPercent(sums.requests === 0 ? 0 : sums.errors / sums.requests)
  return (
    <SimpleGrid cols={{ base: 2, md: 5 }} spacing="sm" className="five-figures">
      <FigureCard
        label={t('overview.spend')}
        figure={now && <Money nano={now.costNano} isShort />}
        change={mark(({ costNano }) => Number(costNano))}
        hint={was(before && formatShortDollars(before.costNano))}
      />
      <FigureCard
        label={t('overview.requests')}
        figure={now && formatCount(now.requests)}
        change={mark(({ requests }) => requests)}
        hint={was(before && formatCount(before.requests))}
      />
      <FigureCard
        label={t('overview.tokens')}
        figure={now && formatCount(tokensOf(now))}
        change={mark(tokensOf)}
        hint={
          now &&
          t('usage.inOut', {
            input: formatCount(inputTokens(now.tokens)),
            output: formatCount(now.tokens.output),
          })
        }
      />
      <FigureCard
        label={t('overview.errors')}
        figure={now && formatCount(now.errors)}
        change={mark(({ errors }) => errors, 'bad')}
        hint={now && t('usage.ofThem', { percent: errorShare(now) })}
      />
      <FigureCard
        label={t('usage.totalFirstToken')}
        figure={now && (now.firstTokenMs === null ? '—' : formatDuration(now.firstTokenMs))}
        change={mark(({ firstTokenMs }) => firstTokenMs ?? 0, 'bad')}
        hint={was(
          before !== undefined &&
            before.firstTokenMs !== null &&
            formatDuration(before.firstTokenMs),
        )}
      />
    </SimpleGrid>
  )
}
