import { Center, Group, Paper, SegmentedControl, Skeleton, Table, Text } from '@mantine/core'
import { lazy, memo, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { SeriesBy, UsageSeries } from '../../../src/console-api/contract.ts'
import { protocolLabel } from '../codes/protocol-label.ts'
import { formatCount } from '../format/counts.ts'
import { formatMinute, formatUtcMinute } from '../format/times.ts'
import { inputTokens } from '../format/token-sums.ts'
import { Select } from '../parts/forms/select.tsx'
import { Money } from '../parts/values/money.tsx'
import { stepMs } from './chart-rows.ts'
import { type Measure, measures } from './measures.ts'
import { seriesColorsOf } from './series-colors.ts'

/** Loaded after the page: the chart library is large, and the figures do not need it. */
const StackedChart = lazy(async () => ({
  default: (await import('./stacked-chart.tsx')).StackedChart,
}))

interface SeriesCardProps {
  /** Undefined while it is loading. */
  readonly series: UsageSeries | undefined
  readonly by: SeriesBy
  readonly choices: readonly SeriesBy[]
  readonly onBy: (by: SeriesBy) => void
}

const chartHeight = 260

/** A stacked chart over time with a table of the same figures. */
export const SeriesCard = memo(function SeriesCard(props: SeriesCardProps) {
  const { series, by, choices, onBy } = props
  const { t, i18n } = useTranslation()
  const [measure, setMeasure] = useState<Measure>('cost')
  const nameOf = (id: string, name: string) =>
    id === '*'
      ? t('chart.others')
      : id === ''
        ? t(`chart.nameless.${by === 'group' ? 'group' : 'model'}`)
        : by === 'protocol'
          ? protocolLabel(name)
          : name
  const label = series
    ? t('chart.label', {
        measure: t(`chart.measure.${measure}`),
        from: formatMinute(series.from, i18n.language),
        to: formatMinute(series.to, i18n.language),
        by: t(`chart.by.${by}`),
      })
    : t('chart.title')
  return (
    <Paper withBorder p="md">
      <Group justify="space-between" mb="md" gap="xs">
        <SegmentedControl
          size="xs"
          aria-label={t('chart.measure')}
          data={measures.map((value) => ({ value, label: t(`chart.measure.${value}`) }))}
          value={measure}
          onChange={(value) => setMeasure(measures.find((each) => each === value) ?? 'cost')}
        />
        <Select
          size="xs"
          w={150}
          aria-label={t('chart.by')}
          data={choices.map((value) => ({ value, label: t(`chart.by.${value}`) }))}
          value={by}
          allowDeselect={false}
          onChange={(value) => onBy(choices.find((each) => each === value) ?? by)}
        />
      </Group>
      {series?.names.length === 0 ? (
        <Center h={chartHeight}>
          <Text c="dimmed" size="sm">
            {t('chart.empty')}
          </Text>
        </Center>
      ) : (
        <div role="img" aria-label={label}>
          <Suspense fallback={<Skeleton h={chartHeight} />}>
            {series ? (
              <StackedChart series={series} measure={measure} nameOf={nameOf} />
            ) : (
              <Skeleton h={chartHeight} />
            )}
          </Suspense>
        </div>
      )}
      {series && series.names.length > 0 && isPartial(series) && (
        <Text size="xs" c="dimmed" mt="xs">
          {t('chart.partial', { from: formatUtcMinute(series.from, i18n.language) })}
        </Text>
      )}
      {series && series.names.length > 0 && <SeriesFigures series={series} nameOf={nameOf} />}
    </Paper>
  )
})

function SeriesFigures(props: {
  series: UsageSeries
  nameOf: (id: string, name: string) => string
}) {
  const { series, nameOf } = props
  const { t } = useTranslation()
  const colors = seriesColorsOf(series.names.map(({ id }) => id))
  return (
    <Table mt="sm" fz="sm" verticalSpacing={4} withRowBorders={false}>
      <Table.Thead>
        <Table.Tr c="dimmed" fz="xs">
          <Table.Th fw={500}>{t(`chart.by.${series.by}`)}</Table.Th>
          <Table.Th fw={500} ta="right">
            {t('chart.measure.requests')}
          </Table.Th>
          <Table.Th fw={500} ta="right" visibleFrom="sm">
            {t('chart.measure.errors')}
          </Table.Th>
          <Table.Th fw={500} ta="right" visibleFrom="sm">
            {t('chart.measure.tokens')}
          </Table.Th>
          <Table.Th fw={500} ta="right">
            {t('chart.measure.cost')}
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {series.names.map(({ id, name, sums }) => (
          <Table.Tr key={id}>
            <Table.Td>
              <Group gap={8} wrap="nowrap">
                <span
                  className="series-swatch"
                  style={{ background: cssColor(colors.get(id) ?? 'gray.5') }}
                />
                <Text size="sm" lineClamp={4} style={{ overflowWrap: 'anywhere' }}>
                  {nameOf(id, name)}
                </Text>
              </Group>
            </Table.Td>
            <Table.Td ta="right" className="figures">
              {formatCount(sums.requests)}
            </Table.Td>
            <Table.Td ta="right" className="figures" visibleFrom="sm">
              {formatCount(sums.errors)}
            </Table.Td>
            <Table.Td ta="right" className="figures" visibleFrom="sm">
              {formatCount(inputTokens(sums.tokens) + sums.tokens.output)}
            </Table.Td>
            <Table.Td ta="right">
              <Money nano={sums.costNano} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}

/** True if the period starts in the middle of a day. */
function isPartial({ step, from }: UsageSeries): boolean {
  return step === 'day' && from % stepMs.day !== 0
}

function cssColor(color: string): string {
  return `var(--mantine-color-${color.replace('.', '-')})`
}
