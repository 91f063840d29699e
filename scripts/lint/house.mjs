/*
 * Rules of the house that oxlint does not have. `.oxlintrc.json` says where they hold.
 */

/**
 * A function names what it takes. A literal that spreads `options`, or another literal, hides who needs what, and so
 * does a parameter of all options of the service. Only what puts the service together has them all.
 */
const noBags = {
  create(context) {
    const textOf = (node) => context.sourceCode.getText(node)
    const checkType = (node) => {
      if (textOf(node) === 'CompleteOptions')
        context.report({ node, message: 'Name the options that are taken: Pick<CompleteOptions, …>.' })
    }
    return {
      SpreadElement(node) {
        if (node.parent.type !== 'ObjectExpression') return
        if (node.argument.type === 'ObjectExpression')
          context.report({ node, message: 'Write these properties into the object itself.' })
        if (/\boptions$/i.test(textOf(node.argument)))
          context.report({ node, message: 'Name what is taken out of the options.' })
      },
      TSTypeAnnotation: ({ typeAnnotation }) => checkType(typeAnnotation),
      TSInterfaceHeritage: checkType,
    }
  },
}

export default { meta: { name: 'house' }, rules: { 'no-bags': noBags } }
