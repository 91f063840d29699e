export const answerPath = '/answer'
