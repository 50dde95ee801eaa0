import { Table, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { CatalogueModel } from '../../../src/console-api/contract.ts'
import { Money } from '../parts/money.tsx'

const lines = [
  ['inputNano', 'models.input'],
  ['cacheReadNano', 'models.cacheRead'],
  ['cacheWrite5mNano', 'models.cacheWrite5m'],
  ['cacheWrite1hNano', 'models.cacheWrite1h'],
  ['outputNano', 'models.outputPrice'],
  ['requestNano', 'models.request'],
] as const

/** Every price of a model in every group, side by side. */
export function PriceTable({ prices }: { prices: CatalogueModel['prices'] }) {
  const { t } = useTranslation()
  return (
    <Table.ScrollContainer minWidth={150 + prices.length * 96}>
      <Table withTableBorder fz="sm" verticalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>
              <Text size="xs" c="dimmed">
                {t('models.price')}
              </Text>
            </Table.Th>
            {prices.map(({ group, factor }) => (
              <Table.Th key={group} ta="right">
                {group}
                <Text size="xs" c="dimmed" fw={400}>
                  × {factor}
                </Text>
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {lines.map(([name, label]) => (
            <Table.Tr key={name}>
              <Table.Td>{t(label)}</Table.Td>
              {prices.map(({ group, price }) => (
                <Table.Td key={group} ta="right">
                  {price === null ? '—' : <Money nano={price[name]} />}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}
