/** The variable of a flag: `WAYMARK_API_KEYS` for `--api-keys`. The variable of a switch must be `true`. */
export const variableOf = ({ name }: { name: string }): string =>
  `WAYMARK_${name.toUpperCase().replaceAll('-', '_')}`
