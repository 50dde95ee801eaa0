import { Table, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { featureText } from '../../../src/console-api/contract/figures.ts'
import { type UsageDetail, usageSources } from '../../../src/console-api/contract.ts'
import { findCode } from '../codes/find-code.ts'
import { formatDollars } from '../format/dollars.ts'
import { FeatureUnit } from '../models/feature-unit.tsx'
import { costLines, featureLines, requestAmount } from './cost-lines.ts'
import { CostHead, CostRow, SumRow } from './cost-rows.tsx'

/** The cost by token bucket, at the price with which the request was admitted. */
export function CostTable({ detail }: { detail: UsageDetail }) {
  const { t } = useTranslation()
  const { tokens, price, features } = detail
  if (tokens === null || price === null) {
    return (
      <Text size="sm" c="dimmed">
        {t('requestDetail.notCharged')}
      </Text>
    )
  }
  const perRequest = requestAmount(price)
  return (
    <>
      <Table withTableBorder verticalSpacing={6} fz="sm">
        <CostHead />
        <Table.Tbody>
          {costLines(tokens, price).map((line) => (
            <CostRow
              key={line.bucket}
              label={
                <>
                  {t(`bucket.${line.bucket}`)}
                  {line.bucket === 'output' && tokens.reasoning > 0 && (
                    <Text size="xs" c="dimmed">
                      {t('requestDetail.ofWhichReasoning', { count: tokens.reasoning })}
                    </Text>
                  )}
                </>
              }
              count={line.count}
              price={formatDollars(line.priceNano)}
              nano={line.amountNano}
            />
          ))}
          {featureLines(features, price).map((line) => (
            <CostRow
              key={line.feature}
              label={
                <>
                  {t(`feature.${line.feature}`)}
                  <FeatureUnit feature={line.feature} />
                </>
              }
              count={line.unit === 'factor' ? undefined : line.count}
              price={featurePrice(line)}
              nano={line.amountNano}
            />
          ))}
          {perRequest > 0n && <SumRow label={t('requestDetail.perRequest')} nano={perRequest} />}
          {detail.uncoveredNano !== undefined && (
            <SumRow label={t('requestDetail.uncovered')} nano={`-${detail.uncoveredNano}`} />
          )}
          <SumRow label={t('requestDetail.total')} nano={detail.costNano} isTotal />
        </Table.Tbody>
      </Table>
      <Text size="xs" c="dimmed" mt={6}>
        {price.longPromptAbove !== null && (
          <>
            {t('requestDetail.longPrompt', { count: price.longPromptAbove })}
            {' · '}
          </>
        )}
        {t('requestDetail.factor', { factor: price.factorMicro / 1_000_000 })}
        {' · '}
        {t('requestDetail.source', { source: sourceText(detail.usageSource, t) })}
      </Text>
    </>
  )
}

function featurePrice({ feature, unit, price }: ReturnType<typeof featureLines>[number]): string {
  if (price === null) return '—'
  return unit === 'factor' ? `× ${featureText(feature, price)}` : formatDollars(price)
}

function sourceText(
  source: string | null,
  t: (key: `source.${(typeof usageSources)[number]}`) => string,
): string {
  const known = findCode(usageSources, source ?? '')
  return known === undefined ? (source ?? '—') : t(`source.${known}`)
}
