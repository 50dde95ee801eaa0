import { Table, Text } from '@mantine/core'
import { Fragment } from 'react'
import { useTranslation } from 'react-i18next'
import { featureText, featureUnit } from '../../../src/console-api/contract/figures.ts'
import {
  type CatalogueModel,
  type FeatureName,
  featureNames,
  type PriceTable as PriceOfGroup,
  type TokenPrices,
} from '../../../src/console-api/contract.ts'
import { Money } from '../parts/values/money.tsx'
import { FeatureUnit } from './feature-unit.tsx'

const lines = [
  ['inputNano', 'models.input'],
  ['cacheReadNano', 'models.cacheRead'],
  ['cacheWrite5mNano', 'models.cacheWrite5m'],
  ['cacheWrite1hNano', 'models.cacheWrite1h'],
  ['outputNano', 'models.outputPrice'],
] as const

type Prices = CatalogueModel['prices']

export function PriceTable({ prices }: { prices: Prices }) {
  const { t } = useTranslation()
  const listed = featureNames.filter((feature) =>
    prices.some(({ price }) => (price?.features?.[feature] ?? null) !== null),
  )
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
          <TokenLines prices={prices} pricesOf={(price) => price} />
          <Table.Tr>
            <Table.Td>{t('models.request')}</Table.Td>
            {prices.map(({ group, price }) => (
              <Table.Td key={group} ta="right">
                {price === null ? '—' : <Money nano={price.requestNano} />}
              </Table.Td>
            ))}
          </Table.Tr>
          {listed.map((feature) => (
            <Table.Tr key={feature}>
              <Table.Td>
                {t(`feature.${feature}`)}
                <FeatureUnit feature={feature} />
              </Table.Td>
              {prices.map(({ group, price }) => (
                <Table.Td key={group} ta="right">
                  <FeaturePrice feature={feature} price={price?.features?.[feature] ?? null} />
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
          {stepsIn(prices).map((aboveTokens) => (
            <Fragment key={aboveTokens}>
              <Table.Tr>
                <Table.Th colSpan={prices.length + 1} scope="rowgroup" fw={600}>
                  {t('models.longPrompt', { count: aboveTokens })}
                </Table.Th>
              </Table.Tr>
              <TokenLines
                prices={prices}
                pricesOf={({ longPrompts }) =>
                  longPrompts?.find((step) => step.aboveTokens === aboveTokens)
                }
              />
            </Fragment>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

/** The prompt lengths at which the token price changes. */
function stepsIn(prices: Prices): number[] {
  const aboves = prices.flatMap(({ price }) => price?.longPrompts ?? [])
  return [...new Set(aboves.map(({ aboveTokens }) => aboveTokens))]
}

function TokenLines(props: {
  prices: Prices
  pricesOf: (price: PriceOfGroup) => Omit<TokenPrices, 'requestNano'> | undefined
}) {
  const { t } = useTranslation()
  return lines.map(([name, label]) => (
    <Table.Tr key={name}>
      <Table.Td>{t(label)}</Table.Td>
      {props.prices.map(({ group, price }) => {
        const shown = price === null ? undefined : props.pricesOf(price)
        return (
          <Table.Td key={group} ta="right">
            {shown === undefined ? '—' : <Money nano={shown[name]} />}
          </Table.Td>
        )
      })}
    </Table.Tr>
  ))
}

function FeaturePrice({ feature, price }: { feature: FeatureName; price: string | null }) {
  if (price === null) return '—'
  if (featureUnit(feature) === 'factor') return `× ${featureText(feature, price)}`
  return <Money nano={price} />
}
