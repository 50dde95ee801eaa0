import { Table, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { type UsageDetail, usageSources } from '../../../src/console-api/contract.ts'
import { findCode } from '../codes/find-code.ts'
import { formatDollars } from '../format/dollars.ts'
import { Money } from '../parts/money.tsx'
import { costLines, featureLines, requestAmount } from './cost-lines.ts'

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
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('requestDetail.bucket')}</Table.Th>
            <Table.Th ta="right">{t('requestDetail.count')}</Table.Th>
            <Table.Th ta="right">{t('requestDetail.price')}</Table.Th>
            <Table.Th ta="right">{t('requestDetail.amount')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {costLines(tokens, price).map((line) => (
            <Table.Tr key={line.bucket}>
              <Table.Td>
                {t(`bucket.${line.bucket}`)}
                {line.bucket === 'output' && tokens.reasoning > 0 && (
                  <Text size="xs" c="dimmed">
                    {t('requestDetail.ofWhichReasoning', { count: tokens.reasoning })}
                  </Text>
                )}
              </Table.Td>
              <Table.Td ta="right" className="figures">
                {line.count.toLocaleString('en-US')}
              </Table.Td>
              <Table.Td ta="right" className="figures">
                {formatDollars(line.priceNano)}
              </Table.Td>
              <Table.Td ta="right">
                <Money nano={line.amountNano} />
              </Table.Td>
            </Table.Tr>
          ))}
          {featureLines(features, price).map((line) => (
            <Table.Tr key={line.feature}>
              <Table.Td>{t(`feature.${line.feature}`)}</Table.Td>
              <Table.Td ta="right" className="figures">
                {line.unit === 'factor' ? '' : line.count.toLocaleString('en-US')}
              </Table.Td>
              <Table.Td ta="right" className="figures">
                {line.unit === 'factor' ? `× ${line.text}` : line.text}
              </Table.Td>
              <Table.Td ta="right">
                {line.amountNano === undefined ? '' : <Money nano={line.amountNano} />}
              </Table.Td>
            </Table.Tr>
          ))}
          {perRequest > 0n && (
            <Table.Tr>
              <Table.Td colSpan={3}>{t('requestDetail.perRequest')}</Table.Td>
              <Table.Td ta="right">
                <Money nano={perRequest} />
              </Table.Td>
            </Table.Tr>
          )}
          {detail.uncoveredNano !== undefined && (
            <Table.Tr>
              <Table.Td colSpan={3}>{t('requestDetail.uncovered')}</Table.Td>
              <Table.Td ta="right">
                <Money nano={`-${detail.uncoveredNano}`} />
              </Table.Td>
            </Table.Tr>
          )}
          <Table.Tr fw={600}>
            <Table.Td colSpan={3}>{t('requestDetail.total')}</Table.Td>
            <Table.Td ta="right">
              <Money nano={detail.costNano} />
            </Table.Td>
          </Table.Tr>
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

function sourceText(
  source: string | null,
  t: (key: `source.${(typeof usageSources)[number]}`) => string,
): string {
  const known = findCode(usageSources, source ?? '')
  return known === undefined ? (source ?? '—') : t(`source.${known}`)
}
