export const quoteText = (text: string): string => `'${text.replaceAll("'", "''")}'`
