#error "‮ .thgir era stniop lla"
#error "⁦ hidden ⁩ ​"
