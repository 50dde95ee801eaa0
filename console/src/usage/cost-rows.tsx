import { Table, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Money } from '../parts/values/money.tsx'

type Nano = Parameters<typeof Money>[0]['nano']

/** Exact amounts are long: on a phone, count and price are below the label. */
const wide = { visibleFrom: 'xs' } as const
const narrow = { hiddenFrom: 'xs', size: 'xs', c: 'dimmed' } as const

/** The columns of a table of costs: what, how many, at which price, amount. */
export function CostHead() {
  const { t } = useTranslation()
  return (
    <Table.Thead>
      <Table.Tr>
        <Table.Th>
          {t('requestDetail.bucket')}
          <Text {...narrow}>× {t('requestDetail.price')}</Text>
        </Table.Th>
        <Table.Th ta="right" {...wide}>
          {t('requestDetail.count')}
        </Table.Th>
        <Table.Th ta="right" {...wide} style={{ wordBreak: 'keep-all' }}>
          {t('requestDetail.price')}
        </Table.Th>
        <Table.Th ta="right">{t('requestDetail.amount')}</Table.Th>
      </Table.Tr>
    </Table.Thead>
  )
}

interface CostRowProps {
  readonly label: ReactNode
  readonly count: number | undefined
  readonly price: string
  readonly nano: Nano | undefined
}

export function CostRow({ label, count, price, nano }: CostRowProps) {
  const countText = count?.toLocaleString('en-US')
  return (
    <Table.Tr>
      <Table.Td>
        {label}
        <Text {...narrow} className="figures">
          {countText === undefined ? price : `${countText} × ${price}`}
        </Text>
      </Table.Td>
      <Table.Td ta="right" className="figures" {...wide}>
        {countText}
      </Table.Td>
      <Table.Td ta="right" className="figures" {...wide}>
        {price}
      </Table.Td>
      <Table.Td ta="right">{nano !== undefined && <Money nano={nano} />}</Table.Td>
    </Table.Tr>
  )
}

/** An amount without count and price. */
export function SumRow(props: { label: string; nano: Nano; isTotal?: boolean }) {
  return (
    <Table.Tr {...(props.isTotal && { fw: 600 })}>
      <Table.Td>{props.label}</Table.Td>
      <Table.Td {...wide} />
      <Table.Td {...wide} />
      <Table.Td ta="right">
        <Money nano={props.nano} />
      </Table.Td>
    </Table.Tr>
  )
}
