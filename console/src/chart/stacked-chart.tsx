import '@mantine/charts/styles.css'
import { BarChart } from '@mantine/charts'
import { useTranslation } from 'react-i18next'
import type { UsageSeries } from '../../../src/console-api/contract.ts'
import { formatStep } from '../format/times.ts'
import { type ChartRow, chartRows, seriesKey } from './chart-rows.ts'
import { formatMeasure, type Measure } from './measures.ts'
import { seriesColorsOf } from './series-colors.ts'

interface StackedChartProps {
  readonly series: UsageSeries
  readonly measure: Measure
  readonly nameOf: (id: string, name: string) => string
}

export function StackedChart({ series, measure, nameOf }: StackedChartProps) {
  const { i18n } = useTranslation()
  const colors = seriesColorsOf(series.names.map(({ id }) => id))
  const rows = chartRows(series, measure).map((row) => ({
    ...row,
    label: formatStep(row.at, series.step, i18n.language),
  }))
  const most = Math.max(0, ...rows.map((row) => totalOf(row)))
  const axisWidth = Math.max(64, 14 + 7 * formatMeasure(most / 3, measure).length)
  return (
    <BarChart
      h={260}
      data={rows}
      dataKey="label"
      type="stacked"
      series={series.names.map(({ id, name }, index) => ({
        name: seriesKey(index),
        label: nameOf(id, name),
        color: colors.get(id) ?? 'gray.5',
      }))}
      valueFormatter={(value) => formatMeasure(value, measure)}
      tooltipAnimationDuration={0}
      gridAxis="x"
      tickLine="none"
      maxBarWidth={34}
      yAxisProps={{
        width: axisWidth,
        allowDecimals: measure === 'cost',
        // Without this, the axis invents a scale if all values are zero.
        ...(most === 0 && { ticks: [0] }),
      }}
      xAxisProps={{ minTickGap: 28, interval: 'equidistantPreserveStart' }}
      barChartProps={{ margin: { top: 14 } }}
      barProps={{ isAnimationActive: false, radius: 1 }}
      tooltipProps={{ isAnimationActive: false }}
    />
  )
}

function totalOf(row: ChartRow): number {
  return Object.entries(row).reduce(
    (sum, [name, value]) => (name !== 'at' && typeof value === 'number' ? sum + value : sum),
    0,
  )
}
